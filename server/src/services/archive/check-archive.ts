import { BrokenArchive } from '../../lib/tar.ts';
import type { Target } from './fields.ts';
import type { Line, Noun } from './noun.ts';
import { nouns } from './nouns.ts';
import type { ArchivePart, Manifest } from './read-archive.ts';
import { type NewWorkspace, workspaceIn } from './write-archive.ts';

/** The ids that records of a table have. */
interface IdRange {
  first: number;
  last: number;
}

/** What an import needs to know before it writes anything. */
export interface ArchiveSummary {
  workspace: NewWorkspace;
  feed: Manifest['feed'];
  /** How many events have no number yet. */
  arrivals: number;
  /** By the name of the table. */
  ids: ReadonlyMap<string, IdRange>;
}

/** An archive that claims more ids of a table than this would use up those of the service. */
const IDS_MAX = 1_000_000_000_000;

/** Reads a whole archive and checks every line of it. */
export async function summarise(parts: AsyncIterable<ArchivePart>): Promise<ArchiveSummary> {
  const ids = new Map<string, IdRange>();
  let workspace: NewWorkspace | undefined;
  let feed: Manifest['feed'] | undefined;
  let arrivals = 0;
  for await (const { manifest, noun: name, lines } of parts) {
    feed = manifest.feed;
    if (name === 'workspace') workspace = located(name, () => workspaceIn(lines[0] ?? {}));
    const noun = nouns.find((each) => each.name === name);
    if (name === 'arrivals') arrivals += lines.length;
    if (!noun?.rowOf) continue;
    for (const line of lines) {
      located(`${name} ${JSON.stringify(line.id ?? '')}`, () =>
        check(noun, line, { ids, feed: feed! }),
      );
    }
  }
  return { workspace: workspace!, feed: feed!, arrivals, ids };
}

/** Stands in for the workspace while lines are only checked. */
const nowhere: Target = {
  workspaceId: 1,
  now: 0,
  id: (_, id) => id,
  keyId: (id) => id,
  nextSequence: () => 1,
  newSecret: () => ({ sealed: '', hint: '' }),
};

interface Known {
  ids: Map<string, IdRange>;
  feed: Manifest['feed'];
}

function check({ name, table, rowOf }: Noun, line: Line, { ids, feed }: Known): void {
  rowOf!(line, nowhere);
  if (name === 'events') {
    const sequence = line.sequence as number;
    if (sequence < feed.firstSequence || sequence > feed.lastSequence) {
      throw new BrokenArchive('is not of the feed');
    }
  }
  if (!table.isNumbered || name === 'arrivals') return;
  const id = line.id as number;
  const known = ids.get(table.name) ?? { first: id, last: id };
  const range = { first: Math.min(known.first, id), last: Math.max(known.last, id) };
  if (id < 1 || range.last - range.first >= IDS_MAX) throw new BrokenArchive('has an id too large');
  ids.set(table.name, range);
}

/** Names the place of what is broken. */
function located<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (err) {
    if (err instanceof BrokenArchive) throw new BrokenArchive(`${place}: ${err.message}`);
    throw err;
  }
}
