import { NoValueLanguage } from "./grammar.ts";

/** Adjectives in all genders, and the impersonal form that forms use: `nie podano`. */
const given =
  `pod|okresl|dotycz|ustal|wskaz|wprowadz|zarejestrow|zdefiniow|wypeln|uzupeln|zgloszo|opublikow|ujawni|przypis|znalezi|odnalezi|wpis|
  potwierdz|udostepni|sprecyzow|wyznacz|odnotow|zaktualizow|zapis|nada|dostarcz|przekaz|oceni|stwierdz|stwierdzo|datow`.replace(
    /\s+/g,
    "",
  );

export const POLISH = new NoValueLanguage({
  not: "nie|jeszcze nie|nie zostal|nie zostala|nie zostalo",
  no: "brak|zaden|zadna|zadne|nie ma|brakuje",
  without: "bez",
  given: `(${given})(ano|any|ana|ane|ony|ona|ono|one|iono|iony|iona|ione|yto|yty|yta|yte|no|ny|na|ne|y|to|ty|ta|te|o)|
    dotyczy|dotycza|znany|znana|znane|znani|dostepny|dostepna|dostepne|dostepnych|ma zastosowania|wiadomo|jest znany|
    jest znana|jest znane|jest dostepny|jest dostepna|jest dostepne|istnieje|wystepuje|ma|figuruje|obowiazuje|posiada|
    ustalono|udalo sie ustalic|odnaleziono|znaleziono|okreslony|okreslona|okreslone`,
  thing: `danych|dane|informacji|informacja|informacje|info|wpisu|wpisow|wpis|wartosci|wartosc|wynikow|wyniki|wyniku|
    rekordow|adresu|adres|telefonu|telefon|numeru|numer|faksu|fax|faxu|e-?maila?|maila|strony|strona|
    strony (www|internetowej)|www|daty|data|nazwy|nazwa|nazwiska|kwoty|kwota|ceny|cena|opisu|opis|wlasciciela|
    wlasciciel|szczegolow|odpowiedzi|odpowiedz|zdjec|zdjecia|opinii|kontaktu|uwag|pozycji|oceny|ocen|okreslenia|
    terminu|termin|ustalen|zapisow|komentarzy`,
  kind: "dalszych|innych|aktualnych|dokladnych|blizszych|szczegolowych|dostepnych|zadnych|takich|pelnych",
  missing:
    "brakuje|brakujace|brakujacy|nieznany|nieznana|nieznane|nieznani|niedostepny|niedostepna|niedostepne|nieokreslony|nieokreslona|nieokreslone|" +
    "nieustalony|nieustalona|nieustalone|niewiadomy|niewiadoma|niepodany|niepodana|niepodane|nieokreslono|brak",
  is: "jest|sa|byl|byla|bylo|zostal|zostala|zostalo|zostaly|ten|ta|to",
  when: "jeszcze|obecnie|aktualnie|na razie|chwilowo|w tej chwili|tymczasowo|publicznie|dotychczas|do tej pory|online",
  about: "o|na temat|dla|dotyczacych|dotyczace|w|do",
  later: "do|zostanie|bedzie|zostana|beda|wkrotce|w|w trakcie|oczekuje|juz",
  announced: `
    (ustalenia|uzupelnienia|potwierdzenia|okreslenia|uzgodnienia|wyjasnienia|podania|ogloszenia|wyznaczenia|wprowadzenia)|
    (podan[ya]|ustalon[ya]|ogloszon[ya]|uzupelnion[ya]|podane|ustalone|ogloszone|uzupelnione)( wkrotce| pozniej| w pozniejszym terminie)?|
    dostepn[yae]|(przygotowaniu|opracowaniu|trakcie|budowie)|(ustalania|uzupelniania|opracowania|aktualizacji)|
    na (dane|uzupelnienie|potwierdzenie)|wkrotce`,
  sentences: `b.d|bd|b/d|b. d|b.d.|n.d|nd|n/d|n.d.|brak|nieznany|nieznana|nieznane|nie dotyczy|nie dot|nie dot.|nd.|
    n. d|bez danych|puste|pusty|nie wiadomo|wkrotce|nie ma|nieustalone|nie znaleziono|nie ustalono|nie okreslono|
    nie podano`,
});
