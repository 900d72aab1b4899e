/** The cookie that carries a session, over plain http and over https. */
export const SESSION_COOKIE = 'petstore_session';
export const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;
