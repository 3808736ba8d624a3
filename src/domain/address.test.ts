import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isWithin, parseAddress, parseNetwork } from "./address.ts";

test("an address is read as a URL, a resolver and a person write it", () => {
  assert.deepEqual(parseAddress("127.0.0.1"), { bits: 32, value: 0x7f000001n });
  for (const text of ["::1", "[::1]", "0:0:0:0:0:0:0:1", "::0.0.0.1"])
    assert.deepEqual(parseAddress(text), { bits: 128, value: 1n }, text);
  assert.deepEqual(parseAddress("fe80::1%eth0"), parseAddress("fe80::1"));
  assert.deepEqual(parseAddress("::ffff:10.0.0.1"), parseAddress("::ffff:a00:1"));
});

test("what is not quite an address is none", () => {
  const wrong = [
    "",
    "example.com",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "1.2.3.4/8",
    "::1::",
    ":::",
  ];
  const wrongV6 = [
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8:9",
    "g::",
    "12345::",
    "::1.2.3",
    "1.2.3.4::",
  ];
  for (const text of [...wrong, ...wrongV6]) assert.equal(parseAddress(text), undefined, text);
});

test("a network holds what begins with its bits, of its own family", () => {
  const holds = (network: string, address: string): boolean =>
    isWithin(parseAddress(address)!, parseNetwork(network)!);
  assert.ok(holds("10.1.0.0/16", "10.1.255.255"));
  assert.ok(!holds("10.1.0.0/16", "10.2.0.0"));
  assert.ok(holds("10.1.2.3/16", "10.1.9.9"));
  assert.ok(holds("0.0.0.0/0", "255.255.255.255"));
  assert.ok(!holds("::/0", "1.2.3.4"));
  assert.ok(holds("fd00::/8", "fdff::1"));
  assert.ok(holds("192.0.2.7", "192.0.2.7"));
  for (const text of ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/-1", "name/8"])
    assert.equal(parseNetwork(text), undefined, text);
});

test("every IPv6 address that a URL writes is read back as the number it is", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (value) => {
      const groups = value.toString(16).padStart(32, "0").match(/.{4}/g)!.join(":");
      assert.equal(parseAddress(new URL(`http://[${groups}]/`).hostname)?.value, value);
    }),
  );
});

test("every IPv4 address that a URL writes is read back, in whatever spelling it was given", () => {
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), (value) => {
      for (const spelling of [String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`])
        assert.equal(parseAddress(new URL(`http://${spelling}/`).hostname)?.value, BigInt(value));
    }),
  );
});
