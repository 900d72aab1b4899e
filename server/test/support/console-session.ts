// A browser's part of a session: it keeps the cookie of a sign-in and sends it with the headers of its own page.

import type { Answer, CallOptions, TestApp } from './app.ts';

export interface ConsoleSession {
  /** The cookie as a browser sends it. */
  cookie: string;
  /** The whole Set-Cookie header. */
  setCookie: string;
  keyId: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  call(method: string, path: string, options?: CallOptions): Promise<Answer<any>>;
}

export async function signIn(app: TestApp, key = app.key): Promise<ConsoleSession> {
  const answer = await app.call('POST', '/v1/session', { key });
  if (answer.status !== 201) throw new Error(`expected 201, got ${answer.status}: ${answer.text}`);
  const setCookie = answer.headers.get('set-cookie')!;
  const cookie = setCookie.split(';', 1)[0]!;
  const call: ConsoleSession['call'] = (method, path, options = {}) => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin', ...options.headers };
    return app.call(method, path, { key: null, ...options, headers });
  };
  return { cookie, setCookie, keyId: answer.body.keyId, call };
}
