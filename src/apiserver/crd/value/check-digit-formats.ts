// SPDX-License-Identifier: Apache-2.0
// Numbers with a check digit.

/** An ISBN-10, whose last digit may be X. Ignores spaces and dashes. */
export function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = digits
    .split("")
    .reduce((sum, digit, index) => sum + (index + 1) * (digit === "X" ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

/** An ISBN-13. Ignores spaces and dashes. */
export function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  return digits.split("").reduce((sum, digit, index) => sum + (index % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0;
}

const cardNumber =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** A credit card number. Ignores all characters except digits. */
export function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D+/g, "");
  if (!cardNumber.test(digits)) return false;
  const sum = digits
    .split("")
    .toReversed()
    .reduce((sum, digit, index) => sum + luhn(Number(digit), index % 2 === 1), 0);
  return sum % 10 === 0;
}

function luhn(digit: number, isDoubled: boolean): number {
  if (!isDoubled) return digit;
  return digit * 2 >= 10 ? ((digit * 2) % 10) + 1 : digit * 2;
}
