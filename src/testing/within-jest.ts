// Stands for `pet-user-service/testing` within Jest: what jest-environment.ts has loaded.
module.exports = (globalThis as unknown as { petUserServiceTesting: unknown }).petUserServiceTesting;
