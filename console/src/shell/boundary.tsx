import { Component, type ComponentChildren } from 'preact';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { controlWords as words } from '../words/controls.ts';

interface State {
  error: unknown;
}

/** Keeps a fault of one part from the rest of the page. */
export class Boundary extends Component<{ children: ComponentChildren }, State> {
  override state: State = { error: undefined };

  static override getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Empty icon="triangle-alert" title={words.brokenTitle}>
        <p class="muted">{error instanceof Error ? error.message : String(error)}</p>
        <Button icon="refresh-cw" onClick={() => this.setState({ error: undefined })}>
          {words.retry}
        </Button>
      </Empty>
    );
  }
}
