import { BASE } from '../router.ts';
import { controlWords as words } from '../words/controls.ts';

/** Where a request is shown. Clients may choose its id, so an operator also needs its workspace. */
export function requestPath(id: string, workspaceId?: number): string {
  const path = `${BASE}/requests/${encodeURIComponent(id)}`;
  return workspaceId === undefined ? path : `${path}?workspaceId=${workspaceId}`;
}

interface RequestLinkProps {
  id: string;
  /** Absent for the own one. */
  workspaceId?: number | undefined;
  /** Whether it opens beside this page, because leaving would lose what was typed. */
  isApart?: boolean;
  /** Whether a heading says already what it is. */
  isShort?: boolean;
}

/** The id of a request, which leads to what is known about it. */
export function RequestLink({ id, workspaceId, isApart, isShort }: RequestLinkProps) {
  const target = isApart ? { target: '_blank', rel: 'noreferrer' } : {};
  return (
    <a class="mono small" href={requestPath(id, workspaceId)} {...target}>
      {isShort ? id : words.requestId(id)}
    </a>
  );
}
