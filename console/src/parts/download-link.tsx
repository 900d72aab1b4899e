import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons/icon.tsx';

interface DownloadLinkProps {
  /** Below /v1. */
  path: string;
  query?: Record<string, string | undefined>;
  /** Why there is nothing to download. */
  offReason?: string | undefined;
  size?: 'small' | 'normal';
  children: ComponentChildren;
}

/** A file of the service. The browser writes it to the disk as it arrives, however large it is. */
export function DownloadLink(props: DownloadLinkProps) {
  const { path, query = {}, offReason, size = 'normal', children } = props;
  if (offReason !== undefined) {
    return (
      <Button icon="download" offReason={offReason}>
        {children}
      </Button>
    );
  }
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const search = new URLSearchParams(given).toString();
  return (
    <a class={`button plain ${size}`} href={`/v1${path}${search && `?${search}`}`} download>
      <Icon name="download" size={size === 'small' ? 16 : 18} />
      <span>{children}</span>
    </a>
  );
}
