export { ServerAdapter } from './server.adapter';
export { shutDownOnSignal } from './shutdown';
