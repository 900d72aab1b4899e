/** What a workspace has used. A window is open for its length from its start. After that, its count means nothing. */
export interface Counters {
  minuteStart: number;
  minuteUsed: number;
  dayStart: number;
  dayUsed: number;
}
