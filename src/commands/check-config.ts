import { SETTINGS } from '../config';
import { givenNames } from '../config';
import type { Command } from './command';
import { print } from './print';

/** Ends with success when the settings are valid; an invalid one has stopped the program before. */
export const checkConfig: Command = {
  name: 'check-config',
  help: 'Check the settings, say which are given, and end',
  async run({ env }) {
    const given = givenNames(SETTINGS, env);
    await print(
      `The configuration is valid.\nGiven: ${given.join(', ') || 'none'}; every other setting has its default.`,
    );
  },
};
