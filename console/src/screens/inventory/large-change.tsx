import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FormState } from '../../parts/form/use-form.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { inventoryWords as words } from '../../words/inventory.ts';

/** A count that grows or shrinks by more than this is likely a slip of the hand. */
const FACTOR_MAX = 10;

interface LargeChange<Form> {
  /** The form, which shows the question instead of sending a large change the first time. */
  form: Form;
  /** Whether the question for this change is on the screen. */
  isAsked: boolean;
  question: ComponentChildren;
}

export function isLargeChange(before: number, after: number): boolean {
  const [least, most] = [Math.min(before, after), Math.max(before, after)];
  return most > FACTOR_MAX * Math.max(1, least);
}

/** Asks once more before a count changes by more than tenfold. */
export function useLargeChange<Form extends FormState>(
  form: Form,
  before: number,
  after: number,
): LargeChange<Form> {
  const [asked, setAsked] = useState<number | undefined>(undefined);
  const isLarge = isLargeChange(before, after);
  const isAsked = isLarge && asked === after;
  const submit = (element?: HTMLFormElement) => {
    if (isLarge && !isAsked && !form.hasErrors) setAsked(after);
    else form.submit(element);
  };
  return {
    form: { ...form, submit },
    isAsked,
    question: isAsked && (
      <p class="notice warn" role="alert">
        <Icon name="triangle-alert" />
        <span>{words.largeChange(before, after)}</span>
      </p>
    ),
  };
}
