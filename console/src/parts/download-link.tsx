import type { ComponentChildren } from 'preact';
import { Icon } from '../ui/icons/icon.tsx';

export interface DownloadLinkProps {
  /** Below /v1. */
  path: string;
  query?: Record<string, string | undefined>;
  children: ComponentChildren;
}

/** A file of the service. The browser writes it to the disk as it arrives, however large it is. */
export function DownloadLink({ path, query = {}, children }: DownloadLinkProps) {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const search = new URLSearchParams(given).toString();
  return (
    <a class="button plain" href={`/v1${path}${search && `?${search}`}`} download>
      <Icon name="download" />
      <span>{children}</span>
    </a>
  );
}
