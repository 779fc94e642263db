export { runCommandLine } from './command-line';
export { Progress } from './progress';
