import { signal } from '@preact/signals';
import { Icon } from './icons/icon.tsx';

interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'bad';
}

const toasts = signal<readonly Toast[]>([]);
const SHOWN_MS = 6_000;
let lastId = 0;

/** Says in a corner what was done. What went wrong is said where it went wrong, not here. */
export function say(text: string, tone: Toast['tone'] = 'good'): void {
  const id = ++lastId;
  toasts.value = [...toasts.value, { id, text, tone }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  }, SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, tone }) => (
        <p key={id} class={`toast ${tone}`}>
          <Icon name={tone === 'good' ? 'circle-check' : 'triangle-alert'} />
          {text}
        </p>
      ))}
    </div>
  );
}
