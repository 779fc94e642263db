export { ServerAdapter } from './server.adapter';
export { shutDownOnSignal } from './shutdown';
export { runWorkers } from './workers';
