/** What http puts into the cookie of a new session. No body shows it. */
export interface NewCookie {
  secret: string;
  maxAgeSeconds: number;
}

/** The handler that opens a session calls it. The cookie is sent once the session is committed. */
export type SetCookie = (cookie: NewCookie) => void;
