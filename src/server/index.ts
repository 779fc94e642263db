export { ServerAdapter } from './server.adapter';
export { checkRequestHead } from './unreadable-requests';
export { shutDownOnSignal } from './shutdown';
export { runWorkers } from './workers';
