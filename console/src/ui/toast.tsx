import { signal } from '@preact/signals';
import { Icon } from './icons/icon.tsx';

interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'bad';
}

const toasts = signal<readonly Toast[]>([]);
/** How many dialogs are open, one over the other. */
export const openDialogs = signal(0);
const SHOWN_MS = 6_000;
let lastId = 0;

/** Says in a corner what was done, or what failed after its form was left. */
export function say(text: string, tone: Toast['tone'] = 'good'): void {
  const id = ++lastId;
  toasts.value = [...toasts.value, { id, text, tone }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  }, SHOWN_MS);
}

/**
 * The messages, in the uppermost dialog or else on the page. A dialog covers what is outside it, and hides it from screen
 * readers.
 */
export function Toasts({ level = 0 }: { level?: number }) {
  const shown = level < openDialogs.value ? [] : toasts.value;
  return (
    <div class="toasts" role="status">
      {shown.map(({ id, text, tone }) => (
        <p key={id} class={`toast ${tone}`}>
          <Icon name={tone === 'good' ? 'circle-check' : 'triangle-alert'} />
          {text}
        </p>
      ))}
    </div>
  );
}
