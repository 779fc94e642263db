export { ServerAdapter } from './server.adapter';
export { shutDownOnSignal } from './shutdown';
export { runWorkers, STARTED_BY } from './workers';
