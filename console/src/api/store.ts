import { Petstore } from '@petstore/client';

/**
 * The client of this page. The session's cookie travels with each request, so there is no key. A call that would have
 * to wait for the plan is refused at once instead: the page shows the wait.
 */
export const store = new Petstore({
  baseUrl: `${location.origin}/v1`,
  maxWaitMs: 0,
  onDeprecated: () => {},
});
