import { AuthenticationError, errorText, requestIdOf } from '../../api/errors.ts';
import { pause, pauseOf } from '../../api/limits.ts';
import { hasExpired } from '../../api/session.ts';
import { isUnknown, type WriteStatus } from '../../api/write.ts';
import { duration } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { useNow } from '../../ui/use-now.ts';
import { controlWords as words } from '../../words/controls.ts';
import { RequestLink } from '../request-link.tsx';

/** What became of a write: refused and why, or kept until the limit lets it through. */
export function WriteState({ write }: { write: WriteStatus }) {
  const isKept = write.state === 'kept';
  const now = useNow(1_000, isKept);
  if (isKept) {
    const wait = duration((pause.value?.until ?? now) - now);
    return (
      <p class="notice warn" role="status">
        <Icon name="hourglass" />
        <span>{words.kept(wait)}</span>
      </p>
    );
  }
  // A refusal of a limit or of a session that had ended says nothing once that is over. An answer that was lost does.
  const isOver =
    write.error instanceof AuthenticationError
      ? !hasExpired.value
      : pauseOf(write.error) !== undefined && pause.value === undefined;
  if (write.error === undefined || (isOver && !isUnknown(write.error))) return null;
  const requestId = requestIdOf(write.error);
  return (
    <div class="notice bad" role="alert">
      <Icon name="triangle-alert" />
      <div>
        <p>{isOver ? words.unanswered : errorText(write.error)}</p>
        {requestId !== undefined && (
          <p>
            <RequestLink id={requestId} isApart />
          </p>
        )}
      </div>
    </div>
  );
}
