import { controlWords as words } from '../words/controls.ts';
import { Button } from './button.tsx';
import { Icon } from './icons/icon.tsx';
import { closeToast, openDialogs, toasts } from './say.ts';

const ICONS = { good: 'circle-check', bad: 'triangle-alert', hint: 'lock' } as const;

/**
 * The messages, in the uppermost dialog or else on the page. A dialog covers what is outside it, and hides it from screen
 * readers.
 */
export function Toasts({ level = 0 }: { level?: number }) {
  const shown = level < openDialogs.value ? [] : toasts.value;
  return (
    <div class="toasts" role="status">
      {shown.map(({ id, text, tone, note, action }) => (
        <div key={id} class={`toast ${tone}`}>
          <Icon name={ICONS[tone]} />
          <p>
            {text}
            {note !== undefined && <span class="second">{note}</span>}
          </p>
          {action && (
            <Button
              size="small"
              onClick={() => {
                closeToast(id);
                action.run();
              }}
            >
              {action.text}
            </Button>
          )}
          {tone === 'bad' && (
            <Button
              icon="x"
              look="quiet"
              size="small"
              label={words.close}
              onClick={() => closeToast(id)}
            />
          )}
        </div>
      ))}
    </div>
  );
}
