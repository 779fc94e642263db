import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { TestEnvironment } from 'jest-environment-node';
import * as testing from './';

/**
 * Jest's own module system cannot load the ESM packages that the service is built on, but Node can: here, outside of
 * the tests, they are loaded once a worker, and handed to every test file. See jest-preset.js.
 */
export default class ServiceEnvironment extends TestEnvironment {
  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    this.global.petUserServiceTesting = testing;
  }
}
