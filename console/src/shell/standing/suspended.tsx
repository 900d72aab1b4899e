import { useEffect } from 'preact/hooks';
import { loadSession, session, signOut } from '../../api/session.ts';
import { sayError } from '../../parts/say-error.ts';
import { Button } from '../../ui/button.tsx';
import { dateTime } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Toasts } from '../../ui/toast.tsx';
import { navigationWords } from '../../words/shell/navigation.ts';
import { standingWords as words } from '../../words/shell/standing.ts';

/** How often the page asks whether the workspace was resumed. It costs nothing of the plan. */
const CHECK_MS = 30_000;

/** All that a suspended workspace shows: since when, why, and what to do. */
export function Suspended() {
  const { workspaceName, stateSince, stateReason } = session.value!;
  useEffect(() => {
    const timer = setInterval(() => void loadSession(), CHECK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <main class="suspended" id="content">
      <section class="card">
        <Icon name="pause" size={28} />
        <PageHead
          title={words.suspendedTitle(workspaceName)}
          lead={words.suspendedSince(dateTime(stateSince))}
        />
        {stateReason !== undefined && (
          <dl>
            <dt class="small muted">{words.suspendedReason}</dt>
            <dd class="strong">{stateReason}</dd>
          </dl>
        )}
        <p>{words.suspendedText}</p>
        <div class="actions">
          <Button icon="refresh-cw" onClick={() => void loadSession()}>
            {words.checkAgain}
          </Button>
          <Button icon="log-out" look="quiet" onClick={() => void signOut().catch(sayError)}>
            {navigationWords.signOut}
          </Button>
        </div>
      </section>
      <Toasts />
    </main>
  );
}
