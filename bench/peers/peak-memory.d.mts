export function peakKilobytes(): number;
