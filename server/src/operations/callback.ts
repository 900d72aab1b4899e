import type { TSchema } from 'typebox';

/** A request that the service sends to a URL which its client has named. */
export interface Callback {
  /** Where the URL comes from, as a runtime expression of OpenAPI. */
  url: string;
  summary: string;
  headers: Readonly<Record<string, string>>;
  body: TSchema;
  examples: Readonly<Record<string, unknown>>;
}
