import { useEffect } from 'preact/hooks';
import { isOut } from '../api/limits.ts';
import { loadSession } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { controlWords as words } from '../words/controls.ts';

interface Entry {
  isReloaded?: boolean;
}

/**
 * The files of this page are gone, which is so after an upgrade. Loading the page anew gets the new ones. It does so
 * once by itself, and only when the service answers, so that the browser never shows a page of its own instead.
 */
export function Outdated() {
  const isAway = isOut();
  useEffect(() => {
    if (isAway) return;
    if ((history.state as Entry | null)?.isReloaded) return;
    void loadSession().then(() => {
      if (isOut()) return;
      history.replaceState({ ...history.state, isReloaded: true } satisfies Entry, '');
      location.reload();
    });
  }, [isAway]);
  return (
    <Empty icon="refresh-cw" title={words.outdatedTitle}>
      <p class="muted" role="status">
        {words.outdated}
      </p>
      <Button icon="refresh-cw" onClick={() => location.reload()}>
        {words.reload}
      </Button>
    </Empty>
  );
}
