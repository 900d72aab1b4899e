import type { RateLimit } from './rate-limit.ts';

/** A response with what its headers say. */
export interface WithResponse<T> {
  data: T;
  response: Response;
  requestId: string | undefined;
  etag: string | undefined;
  rateLimit: RateLimit | undefined;
  /** Whether this is the stored response to an earlier request with the same Idempotency-Key. */
  isReplay: boolean;
}

/** A call under way. Await it for the record, or `withResponse()` for the record and its response. */
export class Call<T> implements PromiseLike<T> {
  declare protected readonly sent: Promise<WithResponse<T>>;

  constructor(sent: Promise<WithResponse<T>>) {
    this.sent = sent;
  }

  withResponse(): Promise<WithResponse<T>> {
    return this.sent;
  }

  // biome-ignore lint/suspicious/noThenProperty: a call is awaited.
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.sent.then((sent) => sent.data).then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected: (reason: unknown) => B | PromiseLike<B>): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  finally(onSettled: () => void): Promise<T> {
    return this.then().finally(onSettled);
  }
}
