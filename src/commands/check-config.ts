import { SETTINGS } from '../config';
import { givenNames } from '../config';
import type { Command } from './command';

/** Ends with success when the settings are valid; an invalid one has stopped the program before. */
export const checkConfig: Command = {
  name: 'check-config',
  help: 'Check the settings, say which are given, and end',
  run({ env }) {
    const given = givenNames(SETTINGS, env);
    console.log('The configuration is valid.');
    console.log(`Given: ${given.join(', ') || 'none'}; every other setting has its default.`);
    return Promise.resolve();
  },
};
