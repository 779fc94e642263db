/** The other end of a connection. Who calls is another question: see Caller. */
export interface Client {
  /** As X-Forwarded-For gives it, where the operator believes the proxies in front. */
  address: string;
  /** Aborted when the client goes away before it has its answer; its reason is what to throw. */
  gone: AbortSignal;
}
