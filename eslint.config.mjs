import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const readsEnvironment = {
  object: 'process',
  property: 'env',
  message: 'Only main.ts, ormconfig.ts and test/support read the environment; take a Config instead.',
};

const asksForTheOperation = {
  selector: 'MemberExpression[object.name=/^(req|request)$/][property.name=/^(url|originalUrl|path|method)$/]',
  message:
    'Nothing outside platform/http/ and platform/server/ looks at a path or a method: ask for req.operation instead.',
};

const saysWhoMayCall = {
  selector:
    'MethodDefinition:has(> Decorator[expression.callee.name=/^(All|Delete|Get|Head|Options|Patch|Post|Put)$/])' +
    ':not(:has(> Decorator[expression.callee.name="Endpoint"]))',
  message: 'This handler does not say who may call it: add @Endpoint({ access: … }).',
};

const namesAccess = {
  selector:
    'Decorator > CallExpression[callee.name="Endpoint"] > ' +
    'ObjectExpression:not(:has(> Property[key.name="access"])):not(:has(> SpreadElement))',
  message: "This handler does not say who may call it: add access to its @Endpoint, as in access: 'token'.",
};

const staysOutside = {
  selector: 'ImportDeclaration[source.value=/^(@[^\\/]+\\/)?[\\w-]+\\/(cjs|dist|esm\\d*|lib|src)\\//]',
  message: 'No import from the inside of a package: take what its index shows, or name it in test/library-internals/.',
};

/** What libraries call by almost the same name as our rules. It works too; ours say limits that databases have. */
const lookAlikes = {
  'class-validator': {
    ...{ IsOptional: 'MayBeAbsent', IsNotEmpty: 'IsFilled', IsString: 'IsText or IsName', Length: 'IsText' },
    ...{ MaxLength: 'IsText', IsIn: 'IsOneOf', IsEnum: 'IsOneOf', IsInt: 'IsInt64 or IsInt32' },
    ...{ IsNumber: 'IsInt64 or IsInt32', IsArray: 'IsTextList or IsNestedList', IsObject: 'IsNested' },
    ...{ ValidateNested: 'IsNested or IsNestedList', IsNumberString: 'IsInt64Text' },
  },
  'class-transformer': { Type: 'IsNested or IsNestedList' },
  '@nestjs/common': { Optional: 'MayBeAbsent', ValidationPipe: 'RulesPipe', ParseArrayPipe: 'ListOf' },
};
const recommendedRules = Object.entries(lookAlikes).flatMap(([name, ours]) =>
  Object.entries(ours).map(([theirs, rule]) => ({
    name,
    importNames: [theirs],
    message: `It works, but think of ${rule} of src/platform/http.`,
  })),
);

export default tseslint.config(
  {
    ignores: [
      'testing.d.ts',
      'dist',
      'coverage',
      '**/node_modules',
      'clients/**/*.ts',
      'test/nest-packages',
      'bench/peers',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  { rules: { '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }] } },
  { files: ['src/**/*.ts', 'test/**/*.ts'], rules: { 'no-restricted-properties': ['error', readsEnvironment] } },
  { files: ['src/**/*.ts'], rules: { 'no-restricted-syntax': ['error', saysWhoMayCall, namesAccess, staysOutside] } },
  {
    files: ['src/**/*.ts'],
    // metrics/ and openapi/ are no operations of the service: a server of its own, and a page with relative links.
    ignores: ['src/platform/{http,server,metrics,openapi}/**'],
    rules: { 'no-restricted-syntax': ['error', asksForTheOperation, saysWhoMayCall, namesAccess, staysOutside] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/platform/http/rules.ts', 'src/**/*.spec.ts'],
    rules: { 'no-restricted-imports': ['warn', { paths: recommendedRules }] },
  },
  { files: ['src/main.ts', 'test/support/**/*.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['test/**/*.ts'],
    // supertest types every body as `any`: a test states its shape by what it expects.
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    // Scripts: tsconfig.scripts.json checks their names and types.
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { 'no-undef': 'off', '@typescript-eslint/no-require-imports': 'off' },
  },
);
