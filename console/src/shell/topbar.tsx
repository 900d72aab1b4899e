import { may, session, signOut } from '../api/session.ts';
import { sayError } from '../parts/say-error.ts';
import { BASE } from '../router.ts';
import { Button } from '../ui/button.tsx';
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

function AccountMenu() {
  return (
    <div class="menu">
      <button type="button" class="button quiet account" popovertarget="account-menu">
        <Icon name="circle-user-round" size={22} />
        <span class="account-name">{words.account}</span>
        <Icon name="chevron-down" size={16} />
      </button>
      <div id="account-menu" popover="auto" class="popover">
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
        <Button
          icon="log-out"
          look="quiet"
          onClick={() => {
            leaveScreen(() =>
              signOut().catch((err: unknown) => {
                sayError(err);
                throw err;
              }),
            );
          }}
        >
          {words.signOut}
        </Button>
      </div>
    </div>
  );
}
