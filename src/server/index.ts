export { ServerAdapter } from './server.adapter';
export { requireHost } from './unreadable-requests';
export { shutDownOnSignal } from './shutdown';
export { runWorkers } from './workers';
