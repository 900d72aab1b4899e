/** A name that a person gave. It takes two lines at most; its title has all of it. */
export function Name({ children }: { children: string }) {
  return (
    <span class="name" title={children}>
      {children}
    </span>
  );
}
