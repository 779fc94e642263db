import { discoverKeys, WrongIssuer } from '../auth';
import { givenNames, SETTINGS } from '../platform/config';
import { CommandFailed, type AddCommand } from './command';
import { print } from './print';

/** Ends with success when the settings are valid. */
export const checkConfig: AddCommand = (program, invocation) =>
  program
    .command('check-config')
    .description('Check the settings, say which are given, and end')
    .action(async () => {
      const { oauth } = invocation.config;
      if (oauth && !oauth.jwksUrl) {
        await discoverKeys(oauth.issuer).catch(report);
      }
      const given = givenNames(SETTINGS, invocation.env).join(', ') || 'none';
      await print(`The configuration is valid.\nGiven: ${given}; every other setting has its default.`);
    });

/** An issuer that is away now may be there at the start; one that calls itself otherwise never will be right. */
function report(error: Error): void {
  if (error instanceof WrongIssuer) {
    throw new CommandFailed(error.message);
  }
  console.error(`The issuer cannot be asked now: ${error.message}`);
}
