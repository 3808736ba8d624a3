import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isWithin, parseAddress, parseNetwork, specialAddress } from "./address.ts";

test("an address is read in the notation of a URL, a resolver or a person", () => {
  assert.deepEqual(parseAddress("127.0.0.1"), { bits: 32, value: 0x7f000001n });
  for (const text of ["::1", "[::1]", "0:0:0:0:0:0:0:1", "::0.0.0.1"])
    assert.deepEqual(parseAddress(text), { bits: 128, value: 1n }, text);
  assert.deepEqual(parseAddress("fe80::1%eth0"), parseAddress("fe80::1"));
  assert.deepEqual(parseAddress("::ffff:10.0.0.1"), parseAddress("::ffff:a00:1"));
});

test("a text that is almost an address is not an address", () => {
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

test("a network contains the addresses of its own family that begin with its bits", () => {
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

test("every IPv6 address that a URL writes is read back as the same number", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (value) => {
      const groups = value.toString(16).padStart(32, "0").match(/.{4}/g)!.join(":");
      assert.equal(parseAddress(new URL(`http://[${groups}]/`).hostname)?.value, value);
    }),
  );
});

test("every IPv4 address is read back from a URL, in any spelling", () => {
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), (value) => {
      for (const spelling of [String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`])
        assert.equal(parseAddress(new URL(`http://${spelling}/`).hostname)?.value, BigInt(value));
    }),
  );
});

const SPECIAL: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1"],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "::ffff:10.1.2.3", "2002:a00:1::"],
  "link-local": ["169.254.1.1", "fe80::1", "febf::1%eth0"],
  "unique local": ["fc00::1", "fd12:3456::1"],
  "site-local": ["fec0::1"],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  broadcast: ["255.255.255.255"],
  reserved: ["240.0.0.1", "192.0.0.8", "2001:20::1", "4000::1", "::ffff:0:a00:1", "::a00:1"],
  "this host": ["0.0.0.0", "0.1.2.3", "::"],
  "cloud metadata": [
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
  ],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
  benchmarking: ["198.18.0.1", "198.19.255.255"],
  Teredo: ["2001:0:1::1"],
  "local NAT64": ["64:ff9b:1::a00:1"],
  discarded: ["100::1"],
  "6to4 relay": ["192.88.99.1"],
};

test("an address that is not public is named by its address block", () => {
  for (const [what, addresses] of Object.entries(SPECIAL))
    for (const address of addresses)
      assert.ok(specialAddress(address)?.startsWith(what), `${address}: ${specialAddress(address)}`);
});

test("addresses next to a block, and public ones inside a translation, are public", () => {
  const beside = [
    "9.255.255.255",
    "11.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "100.128.0.0",
  ];
  const sites = ["1.1.1.1", "93.184.216.34", "223.255.255.255", "2606:4700::1111", "2a00:1450::1"];
  const translated = ["::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1"];
  for (const address of [...beside, ...sites, ...translated])
    assert.equal(specialAddress(address), undefined, address);
});

test("every spelling of an address that a browser understands is the same address", () => {
  const spellings = [
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "127.1",
    "0x7f000001",
    "１２７.0.0.1",
    "127.0.0.1.",
    "%31%32%37.1",
  ];
  for (const host of spellings)
    assert.equal(specialAddress(new URL(`http://${host}/`).hostname), "loopback (127.0.0.0/8)", host);
  for (const host of ["[::FFFF:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]"])
    assert.ok(specialAddress(new URL(`http://${host}/`).hostname)?.startsWith("loopback"), host);
});

test("a text that is not an address is refused", () => {
  for (const text of ["", "localhost", "127.1", "1.2.3.4.5"]) assert.ok(specialAddress(text), text);
});
