import { signal } from '@preact/signals';
import { controlWords as words } from '../words/controls.ts';
import { Button } from './button.tsx';
import { Icon } from './icons/icon.tsx';

interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'bad';
  /** Below the text: the id of the request. */
  note?: string | undefined;
  action?: ToastAction;
}

export interface ToastAction {
  text: string;
  run: () => void;
}

const toasts = signal<readonly Toast[]>([]);
/** How many dialogs are open, one over the other. */
export const openDialogs = signal(0);
const SHOWN_MS = 6_000;
/** There is time to reach its button. */
const SHOWN_WITH_ACTION_MS = 12_000;
let lastId = 0;

/** How many messages are shown at most. */
const TOASTS_MAX = 5;

/** Says in a corner what was done, or what failed after its form was left. What failed stays until it is closed. */
export function say(text: string, options: Partial<Omit<Toast, 'id' | 'text'>> = {}): void {
  const toast: Toast = { tone: 'good', ...options, id: ++lastId, text };
  toasts.value = [...toasts.value, toast].slice(-TOASTS_MAX);
  if (toast.tone === 'bad') return;
  setTimeout(() => close(toast.id), toast.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

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
          <Icon name={tone === 'good' ? 'circle-check' : 'triangle-alert'} />
          <p>
            {text}
            {note !== undefined && <span class="second mono small">{note}</span>}
          </p>
          {action && (
            <Button
              size="small"
              onClick={() => {
                close(id);
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
              onClick={() => close(id)}
            />
          )}
        </div>
      ))}
    </div>
  );
}
