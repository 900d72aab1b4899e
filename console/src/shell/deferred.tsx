import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A part that is loaded when it is first shown. */
export function Deferred({ load }: { load: () => Promise<ComponentType> }) {
  const [part, setPart] = useState<{ Part: ComponentType } | undefined>(undefined);
  useEffect(() => {
    void load().then((Part) => setPart({ Part }));
  }, []);
  return part ? <part.Part /> : null;
}
