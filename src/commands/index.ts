export { runCommandLine } from './command-line';
