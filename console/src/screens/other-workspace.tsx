import { may } from '../api/session.ts';
import { useWorkspaceNames } from '../api/shared-queries.ts';
import { queryNumber, setFilter } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { workspaceWords as words } from '../words/workspaces.ts';

/** The workspace that an operator looks at, as the address says; undefined for the own one. */
export function otherWorkspace(): number | undefined {
  return may('operate') ? queryNumber('workspaceId') : undefined;
}

/** Says in the filters whose rows these are. */
export function OnlyWorkspace() {
  const id = otherWorkspace();
  const names = useWorkspaceNames(id !== undefined);
  if (id === undefined) return null;
  return (
    <Button icon="x" size="small" onClick={() => setFilter('workspaceId')(undefined)}>
      {words.only(words.named(id, names.get(id)))}
    </Button>
  );
}
