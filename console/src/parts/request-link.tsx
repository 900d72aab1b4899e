import { BASE } from '../router.ts';
import { controlWords as words } from '../words/controls.ts';

/** Where a request is shown. Clients may choose its id. */
export const requestPath = (id: string) => `${BASE}/requests/${encodeURIComponent(id)}`;

export interface RequestLinkProps {
  id: string;
  /** Whether it opens beside this page, because leaving would lose what was typed. */
  isApart?: boolean;
  /** Whether a heading says already what it is. */
  isShort?: boolean;
}

/** The id of a request, which leads to what is known about it. */
export function RequestLink({ id, isApart, isShort }: RequestLinkProps) {
  const target = isApart ? { target: '_blank', rel: 'noreferrer' } : {};
  return (
    <a class="mono small" href={requestPath(id)} {...target}>
      {isShort ? id : words.requestId(id)}
    </a>
  );
}
