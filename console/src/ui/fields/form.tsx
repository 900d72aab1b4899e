import type { ComponentChildren } from 'preact';

interface FormProps {
  /** Enter in a field, or its button. */
  onSubmit: (form: HTMLFormElement) => void;
  class?: string;
  children: ComponentChildren;
}

/** A form that the console sends and checks itself: the browser neither leaves the page nor adds its own messages. */
export function Form({ onSubmit, class: className = 'stack', children }: FormProps) {
  return (
    <form
      class={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const dates = [...form.querySelectorAll<HTMLInputElement>('[type^=date]')];
        // A date of which a part is missing has no value, as if nothing had been typed.
        const wrong = dates.find((each) => !each.checkValidity());
        if (wrong) wrong.focus();
        else onSubmit(form);
      }}
    >
      {children}
    </form>
  );
}
