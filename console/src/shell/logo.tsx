/** The paw of the store. */
export function Logo({ size = 34 }: { size?: number }) {
  return (
    <svg class="logo" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <g>
        <ellipse cx="10.6" cy="15" rx="2" ry="2.5" />
        <ellipse cx="14" cy="10.8" rx="2" ry="2.6" />
        <ellipse cx="18" cy="10.8" rx="2" ry="2.6" />
        <ellipse cx="21.4" cy="15" rx="2" ry="2.5" />
        <path d="M16 15.600c-3 0-5.400 2.900-5.400 5.200 0 1.600 1.200 2.400 2.600 2.400 1.100 0 1.800-.5 2.800-.5s1.700.5 2.800.5c1.400 0 2.600-.8 2.600-2.400 0-2.300-2.400-5.200-5.400-5.200z" />
      </g>
    </svg>
  );
}
