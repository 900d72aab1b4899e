import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'bad' | 'hint';
  /** Below the text: the id of the request. */
  note?: ComponentChildren;
  action?: ToastAction;
}

interface ToastAction {
  text: string;
  run: () => void;
}

export const toasts = signal<readonly Toast[]>([]);
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
  setTimeout(() => closeToast(toast.id), toast.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
}

export function closeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
