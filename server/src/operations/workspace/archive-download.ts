import { formatInstant } from '../../lib/instant.ts';
import type { Download } from '../success.ts';

export const archiveTypes = ['application/gzip'] as const;

export function archiveDownload(
  chunks: AsyncIterable<Buffer>,
  workspaceId: number,
  now: number,
): Download {
  const date = formatInstant(now).slice(0, 10);
  return { type: archiveTypes[0], fileName: `workspace-${workspaceId}-${date}.tar.gz`, chunks };
}
