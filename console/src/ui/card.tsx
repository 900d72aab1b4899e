import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  title: string;
  subtitle?: string;
  /** Beside the title: a legend, a link. */
  aside?: ComponentChildren;
  class?: string;
  /** Whether its content reaches its edges, as a table does. */
  isFlush?: boolean;
  children: ComponentChildren;
}

export function Card({ title, subtitle, aside, class: name = '', isFlush, children }: CardProps) {
  const id = useId();
  return (
    <section class={`card ${isFlush ? 'flush' : ''} ${name}`} aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {subtitle !== undefined && <p class="muted">{subtitle}</p>}
        </div>
        {aside}
      </header>
      {children}
    </section>
  );
}
