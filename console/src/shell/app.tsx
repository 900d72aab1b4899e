import { hasExpired, isLocked, loadSession, session, sessionError } from '../api/session.ts';
import { loadMore } from '../load-more.ts';
import { Loaded } from '../parts/loaded.tsx';
import { address, pathOf } from '../router.ts';
import { storeName } from '../ui/page-head.tsx';
import { Toasts } from '../ui/toast.tsx';
import { isSecretShown } from '../ui/unsaved.ts';
import { navigationWords as words } from '../words/shell/navigation.ts';
import { Banner } from './banner.tsx';
import { Deferred } from './deferred.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { Outlet } from './outlet.tsx';
import { isHelpOpen, isPaletteOpen } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { Locked, SignIn, SignInOverlay } from './sign-in.tsx';
import { ClosingBanner } from './standing/closing-banner.tsx';
import { Suspended } from './standing/suspended.tsx';
import { TabBar } from './tab-bar.tsx';
import { Topbar } from './topbar.tsx';

export function App() {
  storeName.value = session.value?.workspaceName ?? '';
  if (session.value === undefined) {
    return (
      <main class="starting">
        <Banner />
        <Loaded query={{ error: sessionError.value, refetch: loadSession }} rows={3} />
      </main>
    );
  }
  if (session.value === null || pathOf(address.value) === '/sign-in') return <SignIn />;
  if (session.value.state === 'suspended') return hasExpired.value ? <SignIn /> : <Suspended />;
  // A key that was just made may be what the user signs in with.
  const isAsking = hasExpired.value && !isSecretShown.value;
  return (
    // What is on the screen belongs to its store: a key of another one begins anew.
    <div class="shell" key={session.value.workspaceId}>
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <Sidebar />
      <Topbar />
      <main id="content" tabIndex={-1}>
        <ClosingBanner />
        <Banner />
        <Outlet />
      </main>
      <TabBar />
      <Toasts />
      {isPaletteOpen.value && <Deferred load={() => loadMore().then(({ Palette }) => Palette)} />}
      {isHelpOpen.value && (
        <Deferred load={() => loadMore().then(({ HelpDialog }) => HelpDialog)} />
      )}
      <LeaveDialog />
      {isAsking && <SignInOverlay />}
      {isLocked.value && !isAsking && <Locked />}
    </div>
  );
}
