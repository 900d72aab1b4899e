import { hrefWith } from '../../router.ts';
import { LinkButton } from '../../ui/button.tsx';
import { eventWords as words } from '../../words/events.ts';
import { type EventType, type Feed, pageLength } from './feed.ts';

interface EventPagerProps {
  feed: Feed;
  type: EventType | undefined;
  isNewest: boolean;
}

/** Goes to older and newer pages. The place is in the address, so a copied link shows the same events. */
export function EventPager({ feed: { events, from, to }, type, isNewest }: EventPagerProps) {
  const length = pageLength(type);
  return (
    <footer class="pager">
      <span class="muted">
        {to === 0 ? words.nothing : words.onPage(events.length, from + 1, to)}
      </span>
      <span class="actions">
        {!isNewest && (
          <LinkButton href={hrefWith({ after: to })} icon="chevron-left" size="small">
            {words.newer}
          </LinkButton>
        )}
        {from > 0 && (
          <LinkButton
            href={hrefWith({ after: Math.max(0, from - length) })}
            icon="chevron-right"
            size="small"
          >
            {words.older}
          </LinkButton>
        )}
      </span>
    </footer>
  );
}
