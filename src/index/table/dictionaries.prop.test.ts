// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareUtf8 } from "../../model/text.ts";
import { GroupDictionary } from "./group-dictionary.ts";
import { LabelPostings } from "./label-postings.ts";
import { SearchedTexts } from "./searched-texts.ts";
import { TextDictionary } from "./text-dictionary.ts";
import { signatureOf, signatureWords, type TextSignature } from "./text-signature.ts";

const encoder = new TextEncoder();
const character = fc.constantFrom("a", "b", "Z", "-", "\u0000", "é", "\uffff", "\u{1f600}", "\ud800");
const shortText = fc.string({ unit: character, maxLength: 4 }).map((text) => text.toWellFormed());

test("[Q-10] a dictionary holds each text once, under an id that finds it and compares as its bytes", () => {
  fc.assert(
    fc.property(fc.array(shortText, { maxLength: 300 }), (wellFormed) => {
      const dictionary = new TextDictionary();
      const ids = wellFormed.map((text) => dictionary.intern(encoder.encode(text)));
      expect(ids.map((id) => dictionary.get(id))).toEqual(wellFormed);
      expect(dictionary.count).toBe(new Set([...wellFormed, ""]).size);
      expect(wellFormed.map((text) => dictionary.find(text))).toEqual(ids);
      expect(dictionary.find("a text of another length")).toBeUndefined();
      const [a, b] = wellFormed;
      if (a !== undefined && b !== undefined)
        expect(Math.sign(dictionary.compare(ids[0] ?? 0, ids[1] ?? 0))).toBe(Math.sign(compareUtf8(a, b)));
    }),
    { numRuns: 50 },
  );
});

test("[Q-10] equal sequences have one number, and label sets are found by key and value", () => {
  const pair = fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 6 }));
  const set = fc.uniqueArray(pair, { selector: ([key]) => key, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(set, { maxLength: 200 }), (sets) => {
      const groups = new GroupDictionary();
      const labels = new LabelPostings(groups);
      const numbers = sets.map((pairs) => groups.intern(Uint32Array.from(pairs.flat())));
      for (const [at, pairs] of sets.entries()) {
        expect([...groups.get(numbers[at] ?? 0)]).toEqual(pairs.flat());
        for (const key of [0, 1, 2, 3, 4]) {
          const value = pairs.find(([known]) => known === key)?.[1];
          expect(labels.valuesOf(key)[numbers[at] ?? 0] ?? 0).toBe(value === undefined ? 0 : value + 1);
        }
      }
      const distinct = new Set(sets.map((pairs) => pairs.flat().join(",")));
      expect(new Set(numbers).size).toBe(distinct.size);
    }),
    { numRuns: 50 },
  );
});

test("[L14] removing the newest entries leaves the dictionaries as they were before", () => {
  const texts = fc.array(shortText, { maxLength: 150 });
  fc.assert(
    fc.property(texts, texts, texts, (kept, dropped, later) => {
      const [dictionary, expected] = [new TextDictionary(), new TextDictionary()];
      const [groups, expectedGroups] = [new GroupDictionary(), new GroupDictionary()];
      const add = (to: TextDictionary, toGroups: GroupDictionary, all: readonly string[]): readonly number[] =>
        all.map((each) => {
          const id = to.intern(encoder.encode(each));
          return id + toGroups.intern(Uint32Array.of(id, each.length));
        });
      for (const [to, toGroups] of [
        [dictionary, groups],
        [expected, expectedGroups],
      ] as const)
        add(to, toGroups, kept);
      const [count, groupCount] = [dictionary.count, groups.count];
      add(dictionary, groups, dropped);
      groups.truncate(groupCount);
      dictionary.truncate(count);
      expect([dictionary.count, groups.count]).toEqual([count, groupCount]);
      for (const each of dropped) expect(dictionary.find(each)).toBe(expected.find(each));
      expect(add(dictionary, groups, later)).toEqual(add(expected, expectedGroups, later));
      expect(mixedIds(dictionary)).toEqual(mixedIds(expected));
      dictionary.trim();
      expect([...later, ...kept].map((each) => dictionary.get(dictionary.find(each) ?? -1))).toEqual([
        ...later,
        ...kept,
      ]);
    }),
    { numRuns: 60 },
  );
});

test("[QL6] each text to search in is a candidate once, also after some were removed, unless its letters rule it out", () => {
  const ids = fc.array(fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 400 })), { maxLength: 120 });
  fc.assert(
    fc.property(ids, fc.nat({ max: 400 }), ids, fc.nat({ max: 400 }), (first, count, second, wanted) => {
      const dictionary = new TextDictionary();
      for (let id = 1; id <= 400; id += 1) dictionary.intern(encoder.encode(`Name-${id}`));
      const searched = new SearchedTexts(dictionary);
      const expected = new Set<number>();
      const expectHas = (): void => {
        const all = [...expected].sort((a, b) => a - b);
        expect(candidates(searched, new Int32Array(signatureWords))).toEqual(all);
        const part = encoder.encode(`e-${wanted}`);
        const found = candidates(searched, signatureOf(part, 0, part.length));
        for (const id of all) if (`Name-${id}`.includes(`e-${wanted}`)) expect(found).toContain(id);
        expect(searched.count).toBe(all.length);
      };
      for (const id of first) {
        searched.add(id);
        if (id !== 0) expected.add(id);
      }
      expectHas();
      searched.truncate(count);
      for (const id of expected) if (id >= count) expected.delete(id);
      expectHas();
      for (const id of second) {
        searched.add(id);
        if (id !== 0) expected.add(id);
      }
      expectHas();
    }),
    { numRuns: 100 },
  );
});

function candidates(searched: SearchedTexts, signature: TextSignature): readonly number[] {
  const ids: number[] = [];
  searched.forEachCandidate(signature, (id) => void ids.push(id));
  return ids.sort((a, b) => a - b);
}

function mixedIds(dictionary: TextDictionary): readonly number[] {
  const ids: number[] = [];
  dictionary.forEachMixed((id) => void ids.push(id));
  return ids;
}
