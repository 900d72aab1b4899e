import { useState } from 'preact/hooks';
import { useQuery } from '../api/query.ts';
import { may, session, signOut } from '../api/session.ts';
import { store } from '../api/store.ts';
import { isCountKept } from '../parts/kept-count.ts';
import { sayError } from '../parts/say-error.ts';
import { BASE } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { dateTime } from '../ui/format.ts';
import { Icon } from '../ui/icons/icon.tsx';
import { leaveScreen } from '../ui/unsaved.ts';
import { navigationWords as words } from '../words/shell/navigation.ts';
import { Logo } from './logo.tsx';
import { Ring } from './meter.tsx';
import { areLettersOn, isHelpOpen, isPaletteOpen } from './shortcuts.ts';
import { isDark, isDense, switchDensity, switchTheme, theme } from './theme.ts';

export function Topbar() {
  void theme.value;
  return (
    <header class="topbar">
      <a class="brand" href={BASE}>
        <Logo />
        <strong>{session.value!.workspaceName}</strong>
      </a>
      <button
        type="button"
        class="search"
        onClick={() => {
          isPaletteOpen.value = true;
        }}
      >
        <Icon name="search" />
        <span>{words.search}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div class="topbar-end">
        {may('read') && <Ring />}
        <a class="button quiet docs" href="/docs" target="_blank" rel="noreferrer">
          <Icon name="book-open" />
          <span>{words.apiReference}</span>
        </a>
        <Button
          icon={isDark() ? 'sun' : 'moon'}
          look="quiet"
          label={isDark() ? words.toLight : words.toDark}
          onClick={switchTheme}
        />
        <AccountMenu />
      </div>
    </header>
  );
}

/** Signs out, and asks first if that would lose input or a count. */
export function leaveAndSignOut(): void {
  const leave = () =>
    signOut().catch((err: unknown) => {
      sayError(err);
      throw err;
    });
  leaveScreen(leave, isCountKept());
}

function AccountMenu() {
  const [isOpened, setOpened] = useState(false);
  return (
    <div class="menu">
      <button type="button" class="button quiet account" popovertarget="account-menu">
        <Icon name="circle-user-round" size={22} />
        <span class="account-name">{words.account}</span>
        <Icon name="chevron-down" size={16} />
      </button>
      <div
        id="account-menu"
        popover="auto"
        class="popover"
        onToggle={({ newState }) => setOpened(newState === 'open')}
      >
        <SignedIn isShown={isOpened} />
        <label class="check">
          <input type="checkbox" checked={isDense.value} onChange={switchDensity} />
          {words.density}
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={areLettersOn.value}
            onChange={() => {
              areLettersOn.value = !areLettersOn.value;
            }}
          />
          {words.lettersOn}
        </label>
        <Button
          icon="keyboard"
          look="quiet"
          onClick={() => {
            document.getElementById('account-menu')?.hidePopover();
            isHelpOpen.value = true;
          }}
        >
          {words.shortcuts}
        </Button>
        <Button icon="log-out" look="quiet" onClick={leaveAndSignOut}>
          {words.signOut}
        </Button>
      </div>
    </div>
  );
}

/** Who is signed in, with which scopes, and until when. The name costs a request, and is read when the menu opens. */
function SignedIn({ isShown }: { isShown: boolean }) {
  const { keyId, scopes, expiresAt } = session.value!;
  const keys = useQuery({
    key: ['listKeys', { id: [keyId] }],
    read: (signal) => store.keys.list({ id: [keyId] }, { signal }),
    isEnabled: isShown && may('read'),
  });
  return (
    <div class="signed-in">
      <span class="small muted">{words.signedInAs}</span>
      <strong class="name">{keys.data?.items[0]?.name ?? keyId}</strong>
      <span class="tags">
        {scopes.map((scope) => (
          <span key={scope} class="tag">
            {scope}
          </span>
        ))}
      </span>
      <span class="small muted">{words.sessionEnds(dateTime(expiresAt))}</span>
    </div>
  );
}
