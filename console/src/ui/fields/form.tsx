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
        onSubmit(event.currentTarget);
      }}
    >
      {children}
    </form>
  );
}
