// Languages whose sentences are not built of parts here, as sites write them: in lower case and without what stands around them.
const EVERYWHERE = `
ei tietoa; ei tietoja; ei saatavilla; ei ilmoitettu; ei tiedossa; ei määritelty; ei käytössä; ei sovellu; tuntematon; puuttuu; ilmoitetaan myöhemmin;
nincs adat; nincs; nem ismert; nem elérhető; nem adott; ismeretlen; nincs megadva; nem alkalmazható; hamarosan;
neuvedeno; není k dispozici; neznámý; neznámá; neznámé; nezadáno; není známo; žádný; žádná; žádné; bez údajů; nevyplněno; nezjištěno; bude doplněno;
neuvedené; nie je k dispozícii; neznámy; nezadané; nedostupné;
nu este disponibil; necunoscut; necunoscută; nespecificat; nespecificată; fără date; indisponibil; nu se aplică; nu există; nedefinit;
nije dostupno; nepoznato; nema podataka; nije navedeno; ni podatka; ni na voljo; neznano;
yok; bilinmiyor; belirtilmemiş; veri yok; mevcut değil; girilmemiş; bilgi yok; belirsiz;
нет данных; не указано; не указан; не указана; не указаны; неизвестно; неизвестен; отсутствует; нет; н/д; нет информации; не задано; не определено;
немає даних; невідомо; не вказано; няма данни; неизвестна; не е посочено;
δ/υ; άγνωστο; μη διαθέσιμο; δεν υπάρχει; χωρίς στοιχεία;
なし; 該当なし; 不明; 未定; 未設定; 未登録; データなし; 情報なし; 未入力; 未記入; 无; 無; 暂无; 暂无数据; 未知; 不详; 没有; 未提供; 未填写; 暫無; 不詳; 없음; 미정; 정보 없음; 알 수 없음;
לא ידוע; אין; אין מידע; לא זמין; غير متوفر; غير معروف; لا يوجد; غير محدد
`;

// "Pending" is a status, but no number or date.
const FOR_VALUES = `
pending; withheld; redacted; confidential; restricted; private; n/s; n/p; ns; ex-directory; awaiting data; in progress; not yet; never; pending update;
ausstehend; offen; in bearbeitung; en attente; en cours; pendiente; en trámite; in attesa; in corso; pendente; em andamento; in behandeling; oczekuje; w toku; pågår;
nd; nc; sd; nb; ni; np; ka; bd; nr; nada; nic; tom; tomt; inga
`;

const split = (text: string): readonly string[] =>
  text
    .split(/;|\n/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** Many sites write without accents. */
const withPlain = (words: readonly string[]): readonly string[] => [
  ...words,
  ...words.map((word) => word.normalize("NFD").replace(/\p{M}/gu, "")),
];

const everywhere = withPlain(split(EVERYWHERE));

export const NO_VALUE_WORDS = {
  words: new Set(everywhere),
  value: new Set([...everywhere, ...withPlain(split(FOR_VALUES))]),
} as const;
