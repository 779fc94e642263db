const { root } = document.documentElement.dataset;

const dark = matchMedia('(prefers-color-scheme: dark)');
const applyColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyColours);
applyColours();

/** A closed padlock where a token is required, whether there is one or not; none where a client may come without. */
const padlocks = ({ React }) => ({
  components: {
    authorizeOperationBtn: ({ isAuthorized, onClick, getComponent }) => {
      const label = isAuthorized ? 'Requires a token; yours is sent' : 'Requires a token';
      const icon = React.createElement(getComponent('LockAuthOperationIcon', true));
      const press = (event) => {
        event.stopPropagation();
        onClick();
      };
      const attributes = { className: 'authorization__btn', title: label, 'aria-label': label, onClick: press };
      return React.createElement('button', { ...attributes, 'data-authorized': isAuthorized }, icon);
    },
    // The page has a heading of its own, and there is one server: the one that serves it.
    InfoContainer: () => null,
    ServersContainer: () => null,
  },
  wrapComponents: {
    OperationSummary: (Original) => (props) => {
      const optional = props.operationProps.get('security')?.some((scheme) => scheme.isEmpty());
      const operationProps = optional ? props.operationProps.delete('security') : props.operationProps;
      return React.createElement(Original, { ...props, operationProps });
    },
  },
});

const ui = SwaggerUIBundle({
  url: `${root}docs/document.json`,
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  persistAuthorization: true,
  defaultModelsExpandDepth: -1,
  plugins: [padlocks],
});

// Swagger UI looks at the address only once, when it starts.
addEventListener('hashchange', () => ui.layoutActions.parseDeepLinkHash(location.hash));

const token = () => ui.authSelectors.authorized()?.getIn(['bearer', 'value']);

function authorise(value) {
  const schema = ui.specSelectors.specJson().getIn(['components', 'securitySchemes', 'bearer']).toJS();
  ui.authActions.authorizeWithPersistOption({ bearer: { name: 'bearer', schema, value } });
}

/** Sends one request, and answers its line and what came back. */
async function send(method, path, body) {
  const headers = { 'Content-Type': 'application/json' };
  if (token()) {
    headers.Authorization = `Bearer ${token()}`;
  }
  const response = await fetch(root + path, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  const answer = text === '' ? undefined : JSON.parse(text);
  const problem = response.ok ? '' : `\n${[answer?.title, answer?.detail].filter(Boolean).join(': ')}`;
  return { ok: response.ok, answer, line: `${method} /${path}: ${response.status}${problem}` };
}

/** A form that does one of the three steps; `step` answers the lines that tell what happened. */
function onSubmit(id, step) {
  const form = document.getElementById(id);
  const output = form.querySelector('output');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const { done, lines } = await step(Object.fromEntries(new FormData(form)));
      output.textContent = lines.join('\n');
      form.dataset.state = done ? 'done' : 'failed';
    } catch (error) {
      output.textContent = `The service cannot be reached: ${error.message}`;
      form.dataset.state = 'failed';
    }
  });
  return form;
}

const createUser = onSubmit('create-user', async (user) => {
  const { ok, line } = await send('POST', 'v2/user', user);
  return { done: ok, lines: [line] };
});
createUser.username.value = `tess-${Math.floor(1_000 + Math.random() * 9_000)}`;

onSubmit('log-in', async () => {
  const { ok, answer, line } = await send('POST', 'v2/user/login', Object.fromEntries(new FormData(createUser)));
  if (ok) {
    authorise(answer);
  }
  return { done: ok, lines: [line, ...(ok ? ['The token is in place: you are authorised.'] : [])] };
});

onSubmit('update-pet', async ({ name, status }) => {
  const created = await send('POST', 'v1/pet', { name });
  if (!created.ok) {
    return { done: false, lines: [created.line] };
  }
  const { id } = created.answer;
  const updated = await send('PUT', 'v2/pet', { id, name, photoUrls: [], status });
  const end = updated.ok ? `Pet ${id} is ${status}.` : token() ? '' : 'Step 2 gives you the token that it requires.';
  return { done: updated.ok, lines: [created.line, updated.line, end].filter(Boolean) };
});
