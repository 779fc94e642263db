import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { MALFORMED_JSON, type ProblemKind } from '../common/problem';
import type { Config } from '../config';
import { Operations, policyOf, problemsOf, type Operation } from '../http';
import { ANY_BODY, ANY_OPERATION, describe } from './document';

/** Failures that many operations share; the page lists them once. */
export const SHARED_PROBLEMS: Record<string, ProblemKind[]> = {
  'Every operation': ANY_OPERATION,
  'With a body': [MALFORMED_JSON, ...ANY_BODY],
  'With a padlock': problemsOf('token'),
};

/**
 * The document as the page shows it: who may call by the present settings, only the failures that are an operation's
 * own, and nothing that a browser cannot send.
 */
export function pageDocument(app: INestApplication, config: Config): OpenAPIObject {
  const document = describe(app, config, ownProblems);
  for (const { template, method, access } of Operations.of(app).all.filter(({ documented }) => documented)) {
    const operation = document.paths[template]![method.toLowerCase() as 'get']!;
    const policy = policyOf(access, config);
    if (policy === 'token') {
      operation.security = [{ bearer: [] }];
    } else if (policy === 'closed') {
      operation.summary += ' (closed by the operator)';
    }
    // A browser sends the cookie by itself, and lets no page write it.
    operation.security = operation.security?.filter((scheme) => !('session' in scheme));
    Object.values(operation.responses).forEach(dropCommonHeaders);
  }
  Object.values(document.components!.responses!).forEach(dropCommonHeaders);
  delete document.components!.securitySchemes!.session;
  return { ...document, servers: [{ url: '..' }] };
}

const ownProblems = ({ access, problems }: Operation) => problems.filter((kind) => !problemsOf(access).includes(kind));

/** Headers of which the rules of all operations speak. */
function dropCommonHeaders(answer: object | undefined): void {
  const { headers }: { headers?: Record<string, unknown> } = answer ?? {};
  delete headers?.['X-Request-Id'];
  delete headers?.['Content-Length'];
}
